/** The code for a client when its provider closes with this one: some may not be sent (RFC 6455, 7.4.2). */
export function sendableCode(code: number): number {
  if (code === noStatus) return normalClosure;
  const isStandard = code >= 1000 && code <= 1014 && ![1004, noStatus, 1006].includes(code);
  return isStandard || (code >= 3000 && code <= 4999) ? code : internalError;
}

const normalClosure = 1000;
const noStatus = 1005;
const internalError = 1011;

/** A reason has at most 123 bytes. */
export function closeReason(text: string): string {
  let reason = text;
  while (Buffer.byteLength(reason) > reasonBytesMax) reason = reason.slice(0, -1);
  return reason;
}

const reasonBytesMax = 123;
