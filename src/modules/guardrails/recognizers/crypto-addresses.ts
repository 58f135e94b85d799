import { createHash } from 'node:crypto';
import { byChecksum, byFormat, bySurroundings, type PatternFindings } from './pattern-findings.ts';

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const bech32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const rippleBase58 = 'rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz';
const wallets = /wallet|address|solana|\bsol\b|monero|\bxmr\b|send|deposit/i;

/** The address of an account in a cryptocurrency, which is the word at this place. */
export function cryptoAddressAt(
  text: string,
  range: { readonly start: number; readonly end: number },
  found: PatternFindings,
): void {
  const { start, end } = range;
  const word = text.slice(start, end);
  const kind = 'CRYPTO_ADDRESS';
  // Bitcoin, Litecoin, Dogecoin, Dash, Zcash, Tron, Tezos; the keys of Bitcoin wallets begin with 5, K or L and are longer.
  if (
    /^(?:[13LMDXTt9An][1-9A-HJ-NP-Za-km-z]{25,34}|tz[123][1-9A-HJ-NP-Za-km-z]{33})$/.test(word) &&
    passesBase58Check(word, base58)
  )
    found.add({ start, end, kind }, byChecksum);
  else if (/^r[1-9A-HJ-NP-Za-km-z]{24,34}$/.test(word) && passesBase58Check(word, rippleBase58))
    found.add({ start, end, kind }, byChecksum);
  else if (/^[5KL][1-9A-HJ-NP-Za-km-z]{50,51}$/.test(word) && passesBase58Check(word, base58))
    found.add({ start, end, kind: 'PRIVATE_KEY' }, byChecksum);
  else if (
    /^(?:bc1|tb1|ltc1|addr1|cosmos1|osmo1)[a-z0-9]{30,110}$/i.test(word) &&
    passesBech32(word.toLowerCase())
  )
    found.add({ start, end, kind }, byChecksum);
  else if (/^0x[0-9a-f]{40}$/i.test(word) && new Set(word.slice(2).toLowerCase()).size > 4)
    found.add({ start, end, kind }, byFormat);
  else if (
    /^(?:[1-9A-HJ-NP-Za-km-z]{43,44}|[48][1-9A-HJ-NP-Za-km-z]{94})$/.test(word) &&
    wallets.test(text.slice(Math.max(0, start - 40), start))
  )
    found.add({ start, end, kind }, bySurroundings);
}

/** The last four bytes are the beginning of a hash of the others. */
function passesBase58Check(word: string, alphabet: string): boolean {
  let value = 0n;
  for (const character of word) value = value * 58n + BigInt(alphabet.indexOf(character));
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  const whole = Buffer.concat([Buffer.alloc(leadingZeros(word, alphabet)), bytes]);
  const hash = (data: Buffer) => createHash('sha256').update(data).digest();
  return (
    whole.length > 20 &&
    hash(hash(whole.subarray(0, -4)))
      .subarray(0, 4)
      .equals(whole.subarray(-4))
  );
}

function leadingZeros(word: string, alphabet: string): number {
  let count = 0;
  while (word[count] === alphabet[0]) count++;
  return count;
}

/** BIP 173 and BIP 350. */
function passesBech32(word: string): boolean {
  const separator = word.lastIndexOf('1');
  const prefix = word.slice(0, separator);
  const values = [
    ...Array.from(prefix, (character) => character.charCodeAt(0) >> 5),
    0,
    ...Array.from(prefix, (character) => character.charCodeAt(0) & 31),
    ...Array.from(word.slice(separator + 1), (character) => bech32.indexOf(character)),
  ];
  let checksum = 1;
  for (const value of values) {
    if (value < 0) return false;
    const top = checksum >> 25;
    checksum = ((checksum & 0x1ffffff) << 5) ^ value;
    for (const [bit, generator] of [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3].entries())
      if (((top >> bit) & 1) === 1) checksum ^= generator;
  }
  return checksum === 1 || checksum === 0x2bc830a3;
}
