/** Whole units, so that debits never drift. */
export const creditsPerUsd = 100_000;

/** What a call past the cap costs an account that switched overage on. */
export const overageCreditsPerRequest = 25;
