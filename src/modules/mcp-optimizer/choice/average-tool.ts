/**
 * The mean of the vectors that the model for tools makes of some 3,700 tools, of three collections that count alike:
 * scripts/make-usual-tool.ts. Eight bits a value.
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
 * How near a request lies to tools at large. Some lie near all of them, and some near none, whatever they ask for: what tells
 * whether a tool serves one is how much nearer it lies than that. 0 where the vector is of another size.
 */
export function similarityToAverageTool(vector: Float32Array): number {
  if (vector.length !== averageTool.length) return 0;
  let sum = 0;
  for (let at = 0; at < vector.length; at++) sum += averageTool.readInt8(at) * (vector[at] ?? 0);
  return sum * scale;
}
