/** Kinds of personal data. */
export const personalKinds = [
  'EMAIL',
  'PHONE',
  'CREDIT_CARD',
  'IBAN',
  'SSN',
  'NATIONAL_ID',
  'PASSPORT',
  'DRIVER_LICENSE',
  'IP_ADDRESS',
  'MAC_ADDRESS',
  'CRYPTO_ADDRESS',
  'COORDINATES',
  'PERSON',
  'ADDRESS',
  'DATE_OF_BIRTH',
  'LOCATION',
  'ORGANIZATION',
  'DATE',
  'AGE',
  'NATIONALITY',
  'USERNAME',
  'URL',
] as const;

export type PersonalKind = (typeof personalKinds)[number];

export const secretKinds = ['API_KEY', 'TOKEN', 'PASSWORD', 'PRIVATE_KEY', 'CONNECTION_STRING'] as const;

export type SecretKind = (typeof secretKinds)[number];

/** A range of a text that a recognizer found, in UTF-16 units. */
export interface Finding {
  readonly start: number;
  readonly end: number;
  /** `PersonalKind`, `SecretKind`, `PROFANITY`, `INJECTION`, or the name of a custom rule. */
  readonly kind: string;
}
