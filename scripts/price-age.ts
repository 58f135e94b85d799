// Warns of prices that nobody has compared with their sources for 30 days. It never fails: the calendar must not stop other work.
import { abilityWarnings, priceWarnings } from './prices/age.ts';

for (const warning of [...priceWarnings(Date.now()), ...abilityWarnings(Date.now())])
  console.log(process.env.GITHUB_ACTIONS === 'true' ? `::warning::${warning}` : warning);
