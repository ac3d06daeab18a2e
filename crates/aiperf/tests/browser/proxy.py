"""A TCP proxy that can cut all connections and refuse new ones, as a network that fails does."""

import socket
import threading


class CuttableProxy:
    def __init__(self, port: int):
        self.target = ("127.0.0.1", port)
        self.pairs: list[socket.socket] = []
        self.lock = threading.Lock()
        self.listener = None
        self.port = 0
        self.restore()

    def restore(self):
        """Listens, on the same port as before."""
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen(64)
        self.port = listener.getsockname()[1]
        self.listener = listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def cut(self):
        # A blocked accept keeps the socket alive; shutdown wakes it.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        with self.lock:
            for one in self.pairs:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
            self.pairs.clear()

    def _accept(self, listener):
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(self.target)
            except OSError:
                near.close()
                continue
            with self.lock:
                self.pairs += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._copy, args=(source, sink), daemon=True).start()

    @staticmethod
    def _copy(source, sink):
        try:
            while part := source.recv(65536):
                sink.sendall(part)
        except OSError:
            pass
        for one in (source, sink):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
