{{/* Labels that `aiperf kube` looks for. */}}
{{- define "aiperf.labels" -}}
app.kubernetes.io/name: aiperf
app.kubernetes.io/managed-by: aiperf
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "aiperf.secret" -}}
{{ .Values.apiTokenSecret | default (printf "%s-credentials" .Release.Name) }}
{{- end }}

{{- define "aiperf.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "aiperf.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- define "aiperf.natsUrl" -}}
{{ .Values.nats.url | default (printf "nats://%s-nats:4222" .Release.Name) }}
{{- end }}

{{/* A pod of the program; called with root, component, args, and whether it serves results. */}}
{{- define "aiperf.pod" -}}
{{- $ := .root }}
metadata:
  labels:
    {{- include "aiperf.labels" $ | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  restartPolicy: Never
  terminationGracePeriodSeconds: 60
  securityContext: {{- include "aiperf.podSecurity" $ | nindent 4 }}
  {{- with $.Values.imagePullSecrets }}
  imagePullSecrets: {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  {{- with $.Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $.Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: aiperf
      image: {{ required "set `image` to the container image of aiperf" $.Values.image }}
      imagePullPolicy: {{ $.Values.imagePullPolicy }}
      args: {{- toYaml .args | nindent 8 }}
      env:
        - name: HOME
          value: /tmp
        {{- if and (eq .component "node") (not $.Values.nats.enabled) (gt (int $.Values.nodes) 1) }}
        - name: JOB_COMPLETION_INDEX
          valueFrom: {fieldRef: {fieldPath: "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}
        {{- end }}
        {{- if $.Values.nats.enabled }}
        - name: AIPERF_NATS_WAIT
          value: "300"
        {{- end }}
        {{- if and $.Values.nats.enabled (not $.Values.nats.url) }}
        - name: AIPERF_NATS_TOKEN
          valueFrom: {secretKeyRef: {name: {{ include "aiperf.secret" $ }}, key: api-token}}
        {{- end }}
        {{- if .serves }}
        - name: AIPERF_API_TOKEN
          valueFrom: {secretKeyRef: {name: {{ include "aiperf.secret" $ }}, key: api-token}}
        {{- end }}
        {{- range $name, $place := $.Values.envFromSecrets }}
        {{- $parts := splitList "/" $place }}
        - name: {{ $name }}
          valueFrom: {secretKeyRef: {name: {{ index $parts 0 }}, key: {{ index $parts 1 }}}}
        {{- end }}
      {{- if .serves }}
      ports:
        - {name: api, containerPort: 9090}
      {{- end }}
      resources: {{- toYaml $.Values.resources | nindent 8 }}
      securityContext: {{- include "aiperf.containerSecurity" $ | nindent 8 }}
      volumeMounts:
        - {name: results, mountPath: /results}
        - {name: tmp, mountPath: /tmp}
        - {name: config, mountPath: /etc/aiperf, readOnly: true}
  volumes:
    {{- if and $.Values.resultsClaim (or (eq .component "coordinator") (not $.Values.nats.enabled)) }}
    - {name: results, persistentVolumeClaim: {claimName: {{ $.Values.resultsClaim }}}}
    {{- else }}
    - {name: results, emptyDir: {}}
    {{- end }}
    - {name: tmp, emptyDir: {}}
    - name: config
      configMap: {name: {{ $.Release.Name }}-config, items: [{key: aiperf.yaml, path: aiperf.yaml}]}
{{- end }}
