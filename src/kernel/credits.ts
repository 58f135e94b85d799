/** Integer units, so that sums stay exact. */
export const creditsPerUsd = 100_000;

/** The price of a call beyond the cap for an account with overage enabled. */
export const overageCreditsPerRequest = 25;
