// Talks to the server.

/** An answer that says why something cannot be done. */
export class Refusal extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

async function answer(response) {
  if (response.ok) return response;
  let text = `The server answered ${response.status}.`;
  try { text = (await response.clone().json()).detail ?? text; } catch { text = (await response.text()) || text; }
  throw new Refusal(response.status, text);
}

export async function read(path) {
  return (await answer(await fetch(path))).json();
}

export async function send(path, body, signal) {
  return answer(await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal }));
}

/** Keeps what the server sent as a file. */
export async function keep(path, body, name) {
  const blob = await (await send(path, body)).blob();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
