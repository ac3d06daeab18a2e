// chart FOLDER NAME [VALUES]: prints the objects of a Helm chart as `helm template NAME FOLDER -f VALUES` does, for the functions that our chart
// uses. Debian has no Helm.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func values(path string) map[string]interface{} {
	text, err := os.ReadFile(path)
	check(err)
	read := map[string]interface{}{}
	check(yaml.Unmarshal(text, &read))
	return read
}

func merge(into, from map[string]interface{}) {
	for key, value := range from {
		ours, isMap := into[key].(map[string]interface{})
		theirs, both := value.(map[string]interface{})
		if isMap && both {
			merge(ours, theirs)
		} else {
			into[key] = value
		}
	}
}

func number(value interface{}) int {
	var read int
	fmt.Sscan(fmt.Sprint(value), &read)
	return read
}

func isEmpty(value interface{}) bool {
	return value == nil || value == "" || value == false || value == 0
}

func main() {
	folder, name := os.Args[1], os.Args[2]
	given := values(filepath.Join(folder, "values.yaml"))
	if len(os.Args) > 3 {
		merge(given, values(os.Args[3]))
	}
	chart := template.New("chart").Option("missingkey=zero")
	chart.Funcs(template.FuncMap{
		"include": func(name string, data interface{}) (string, error) {
			var out bytes.Buffer
			err := chart.ExecuteTemplate(&out, name, data)
			return out.String(), err
		},
		"toYaml": func(value interface{}) (string, error) {
			text, err := yaml.Marshal(value)
			return strings.TrimSuffix(string(text), "\n"), err
		},
		"nindent": func(count int, text string) string {
			space := "\n" + strings.Repeat(" ", count)
			return space + strings.ReplaceAll(text, "\n", space)
		},
		"default": func(other, value interface{}) interface{} {
			if isEmpty(value) {
				return other
			}
			return value
		},
		"required": func(message string, value interface{}) (interface{}, error) {
			if isEmpty(value) {
				return nil, fmt.Errorf("%s", message)
			}
			return value, nil
		},
		"ternary": func(yes, no interface{}, which bool) interface{} {
			if which {
				return yes
			}
			return no
		},
		"dict": func(pairs ...interface{}) map[string]interface{} {
			made := map[string]interface{}{}
			for at := 0; at+1 < len(pairs); at += 2 {
				made[pairs[at].(string)] = pairs[at+1]
			}
			return made
		},
		"list": func(items ...interface{}) []interface{} { return items },
		"concat": func(lists ...[]interface{}) []interface{} {
			var all []interface{}
			for _, list := range lists {
				all = append(all, list...)
			}
			return all
		},
		"max": func(one, other int) int {
			if one > other {
				return one
			}
			return other
		},
		"int":          number,
		"toString":     func(value interface{}) string { return fmt.Sprint(value) },
		"quote":        func(value interface{}) string { return fmt.Sprintf("%q", fmt.Sprint(value)) },
		"splitList":    func(by, text string) []string { return strings.Split(text, by) },
		"randAlphaNum": func(count int) string { return strings.Repeat("7", count) },
	})
	paths, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	check(err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		check(err)
		_, err = chart.New(filepath.Base(path)).Parse(string(text))
		check(err)
	}
	data := map[string]interface{}{"Values": given, "Release": map[string]interface{}{"Name": name}}
	for _, path := range paths {
		if strings.HasSuffix(path, ".yaml") {
			fmt.Println("---")
			check(chart.ExecuteTemplate(os.Stdout, filepath.Base(path), data))
		}
	}
}
