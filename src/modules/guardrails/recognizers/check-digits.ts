/** ISO/IEC 7812-1, annex B. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = digits.length - 1, isDoubled = false; at >= 0; at--, isDoubled = !isDoubled) {
    const value = digits.charCodeAt(at) - 48;
    sum += isDoubled ? (value > 4 ? value * 2 - 9 : value * 2) : value;
  }
  return sum % 10 === 0;
}

/** A number of any length modulo another, digit by digit. Letters count as 10 to 35, as in ISO 13616. */
export function remainderOf(text: string, divisor: number): number {
  let remainder = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    remainder =
      code <= 57 ? (remainder * 10 + code - 48) % divisor : (remainder * 100 + (code | 32) - 87) % divisor;
  }
  return remainder;
}
