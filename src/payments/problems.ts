/** Why a call was not made, and what whoever wants to pay can do. */
export const problems = {
  'payment-required': {
    title: 'Payment Required',
    meaning:
      'The call has no payment credential. The answer has a challenge: what the call costs, who is paid, and until when this holds. Pay by a wallet, and send the same body again with an Authorization header of the scheme Payment.',
  },
  'malformed-credential': {
    title: 'Malformed Credential',
    meaning:
      'The Authorization header is of the scheme Payment, and can not be read. It is either id="<challenge id>", credential="<token>", or one JSON object in base64url that has the challenge and the payload. The challenge was not used up.',
  },
  'invalid-challenge': {
    title: 'Invalid Challenge',
    meaning:
      'The credential names a challenge that this gateway does not know, that has expired or was paid with before, or that was issued for another body. A challenge lasts for five minutes, is good for one call, and binds the body byte by byte. Nothing was charged.',
  },
  'verification-failed': {
    title: 'Payment Verification Failed',
    meaning:
      'The payment could not be verified or settled, or this gateway settles none. Nothing was delivered, and nothing is charged: what was reserved, or even taken, is given back.',
  },
} as const;

export type ProblemSlug = keyof typeof problems;

export function isProblemSlug(text: string): text is ProblemSlug {
  return Object.hasOwn(problems, text);
}
