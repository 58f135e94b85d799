const prefix = 'req_';
/** 2^48 milliseconds last until the year 10889. */
const timeDigits = 12;
const randomDigits = 20;
const idPrefixPattern = new RegExp(`^${prefix}[0-9a-f]{0,${timeDigits + randomDigits}}$`);
const idPattern = new RegExp(`^${prefix}[0-9a-f]{${timeDigits + randomDigits}}$`);

/** The prefix of all ids of this millisecond; sorts before them and after all earlier ones. */
export function firstIdAt(ms: number): string {
  return prefix + Math.max(0, Math.floor(ms)).toString(16).padStart(timeDigits, '0');
}

export function isRequestId(text: string): boolean {
  return idPattern.test(text);
}

/** Whether this can be the prefix of an id. */
export function isRequestIdPrefix(text: string): boolean {
  return idPrefixPattern.test(text);
}

/** The arrival time of a call, from its id. */
export function timeOfId(id: string): number {
  // Cached, since many calls arrive in the same millisecond.
  if (lastParsed.start === '' || !id.startsWith(lastParsed.start)) {
    const start = id.slice(0, prefix.length + timeDigits);
    lastParsed = { start, ms: Number.parseInt(start.slice(prefix.length), 16) };
  }
  return lastParsed.ms;
}

let lastParsed = { start: '', ms: 0 };

/** Whether a call is in a share of all calls, by the random end of its id, so that all processes agree. */
export function isIdInShare(id: string, share: number): boolean {
  return Number.parseInt(id.slice(-sampledDigits), 16) < share * 16 ** sampledDigits;
}

const sampledDigits = 8;

export const requestIdRandomBytes = randomDigits / 2;
