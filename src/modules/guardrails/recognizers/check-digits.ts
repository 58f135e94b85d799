/** The digits of a text as numbers. */
function digitsOf(text: string): readonly number[] {
  return Array.from(text, Number);
}

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

/** The sum of the digits, each multiplied with its weight. */
export function weightedSum(digits: string, weights: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < weights.length; at++) sum += (digits.charCodeAt(at) - 48) * (weights[at] ?? 0);
  return sum;
}

const verhoeffProducts = [
  '0123456789',
  '1234067895',
  '2340178956',
  '3401289567',
  '4012395678',
  '5987604321',
  '6598710432',
  '7659821043',
  '8765932104',
  '9876543210',
].map(digitsOf);
const verhoeffPermutations = [
  '0123456789',
  '1576283094',
  '5803796142',
  '8916043527',
  '9453126870',
  '4286573901',
  '2793806415',
  '7046913258',
].map(digitsOf);

export function passesVerhoeff(digits: string): boolean {
  let check = 0;
  for (let place = 0; place < digits.length; place++) {
    const value = digits.charCodeAt(digits.length - 1 - place) - 48;
    check = verhoeffProducts[check]?.[verhoeffPermutations[place % 8]?.[value] ?? 0] ?? 0;
  }
  return check === 0;
}

/** ISO 7064, modulus 11 and 10: the German tax number and the Croatian personal number. */
export function passesMod11And10(digits: string): boolean {
  let product = 10;
  for (let at = 0; at < digits.length - 1; at++) {
    const sum = (digits.charCodeAt(at) - 48 + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === digits.charCodeAt(digits.length - 1) - 48;
}

/** Whether day, month and year exist in the calendar. */
export function isDate(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}
