/** What the events are, for people. An event that is missing here has its own name. */
export const eventTitles: Readonly<Record<string, string>> = {
  'budget.threshold': '50, 80, 95 or 100 % of a ceiling is spent',
  'budget.exceeded': 'A ceiling refuses a call',
  'tier.cap_reached': 'The calls of the plan are used up',
  'key.revoked': 'An API key is revoked',
  'credential.failing': 'A provider rejects a provider key',
  'breaker.opened': 'A model fails',
  'breaker.closed': 'A model answers again',
  'anomaly.detected': 'Spend, errors or cache hits of an API key are unusual',
  'anomaly.ended': 'They are as usual again',
};
