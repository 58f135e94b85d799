/**
 * The mean vector of about 3,700 tools from three equally weighted collections, made by scripts/make-usual-tool.ts.
 * Eight bits per value.
 */
const averageTool = Buffer.from(
  '3hLZEwnwLQfI/QTNIBEF/Q8sMKIpIhH65v/3HunqAEMmLzL13//o0wPlERIR+KHsA0aisuYEOjO82vTmAb/ZLA408DsBk9fy4gQB' +
    'Bw3n8qPQA/ZGIg0eFzsl7uoT2uEf6L8PK/ENB9Tc6CMY8TKuMO2tJBYIL0gcKfH+BeQp7AAW+y4nHPz5/L7s4DvWCRMA7n8iEPfc' +
    'B/9sE/MAGw0ryrPOBybH1fHYxMa6A7H7tdx4D/D7yMYB3f0lMQr7GhHNDBEB1ioo9g1UFfbs0PT4C9LP5jgw/jHL3/W+A/EmyAAH' +
    '7vwQAcvxATch7uDwxfIp5rrcS7s90w/uIzIS4MzlxMEGzv9CJuc/TgvMD8/3CT3j/Srt8dr6QizxDPflxu1j/ckb7a8DHgAA+RAX' +
    '+Az2BB0oIT8JERo5OuuVAeoczQDM1fg7LSToH/AJHOjEFTPzJjjq6fUqHAwjDNUrK/4VFCDyNSLJ3e4iAgXuKgcQEacR6dbCGivy' +
    'GRvvOiE6OP41',
  'base64',
);
const scale = 0.000364275;

/**
 * The similarity of a request to tools in general. Some requests are close to all tools and some to none, so a tool's relevance
 * is how much closer it is than this. 0 for a vector of another size.
 */
export function similarityToAverageTool(vector: Float32Array): number {
  if (vector.length !== averageTool.length) return 0;
  let sum = 0;
  for (let at = 0; at < vector.length; at++) sum += averageTool.readInt8(at) * (vector[at] ?? 0);
  return sum * scale;
}
