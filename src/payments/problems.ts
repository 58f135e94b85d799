/** Why a call was rejected, and what the payer can do. */
export const problems = {
  'payment-required': {
    title: 'Payment Required',
    meaning:
      'The call has no payment credential. The response contains a challenge with the price, the recipient and the expiry. Pay with a wallet and send the same body again with an Authorization header of the scheme Payment.',
  },
  'malformed-credential': {
    title: 'Malformed Credential',
    meaning:
      'The Authorization header has the scheme Payment but can not be parsed. It must be either id="<challenge id>", credential="<token>", or one JSON object in base64url that has the challenge and the payload. The challenge was not used up.',
  },
  'invalid-challenge': {
    title: 'Invalid Challenge',
    meaning:
      'The credential names a challenge that this gateway does not know, that has expired or was used before, or that was issued for another body. A challenge is valid for five minutes and for one call with exactly the same body. Nothing was charged.',
  },
  'verification-failed': {
    title: 'Payment Verification Failed',
    meaning:
      'The payment could not be verified or settled, or this gateway does not accept payments. Nothing was delivered and nothing is charged: a reserved or captured amount is returned.',
  },
} as const;

export type ProblemSlug = keyof typeof problems;

export function isProblemSlug(text: string): text is ProblemSlug {
  return Object.hasOwn(problems, text);
}
