// Reads the data of the page: a JSON head and binary columns, compressed together (src/payload.rs and src/column.rs write them).

async function readPayload(element) {
  const text = atob(element.textContent.trim());
  const packed = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return splitPayload(bytes);
}

function splitPayload(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return { head, columns: bytes.subarray(4 + length) };
}

function columnBytes(columns, place) {
  return columns.subarray(place.at, place.at + place.bytes);
}

// Numbers in groups of seven bits, lowest first.
function readVarints(bytes, count) {
  const values = new Float64Array(count);
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    let value = 0;
    let scale = 1;
    let byte;
    do {
      byte = bytes[at];
      at += 1;
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte > 127);
    values[index] = value;
  }
  return values;
}

// Values of a metric in the unit that is shown; NaN for requests that do not have it.
function readColumn(columns, place, count) {
  const bytes = columnBytes(columns, place);
  if (place.coding === "nanos") {
    const values = readVarints(bytes, count);
    for (let index = 0; index < count; index += 1) {
      values[index] = values[index] === 0 ? NaN : (values[index] - 1) / 1e6;
    }
    return values;
  }
  if (place.coding === "f64") {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return Float64Array.from({ length: count }, (_, index) => view.getFloat64(index * 8, true));
  }
  return readLogarithms(bytes, place, count);
}

function readLogarithms(bytes, place, count) {
  const values = new Float64Array(count);
  const known = new Map();
  for (let index = 0; index < count; index += 1) {
    let code = 0;
    for (let plane = 0; plane < place.planes; plane += 1) {
      code += bytes[plane * count + index] * 256 ** plane;
    }
    let value = known.get(code);
    if (value === undefined) {
      value = code === 0 ? NaN : code === 1 ? 0 : Math.exp((code - 2 + place.base) / place.steps) * place.smallest;
      known.set(code, value);
    }
    values[index] = value;
  }
  return values;
}
