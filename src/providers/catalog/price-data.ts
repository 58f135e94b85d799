/** The package with the published prices: its version, and the day on which it was last compared with the newest one. */
export const priceData = {
  package: '@pydantic/genai-prices',
  version: '0.1.8',
  checkedOn: '2026-11-17',
} as const;
