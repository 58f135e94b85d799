/** Two things that people say to correct a model, and whether the second says the same. */
export interface CorrectionPair {
  readonly one: string;
  readonly other: string;
  readonly same: boolean;
}

const same = (one: string, other: string): CorrectionPair => ({ one, other, same: true });
const other = (one: string, second: string): CorrectionPair => ({ one, other: second, same: false });

/** Of our own: the same in other words, the opposite in nearly the same words, and what is near in its subject. */
export const saidPairs: readonly CorrectionPair[] = [
  same('No, always use pnpm here, never npm.', 'No, use pnpm and never npm in this repository.'),
  same('Don’t touch the generated files.', 'Never edit files that are generated.'),
  same('Always answer in German, please.', 'Please always write your answers in German.'),
  same('Never commit to the main branch directly.', 'Don’t commit straight to main.'),
  same('No, the tests go into the folder of the code.', 'No, put tests beside the code in the same folder.'),
  same('Use tabs instead of spaces.', 'Please use tabs, not spaces.'),
  same('Always run the linter before you commit.', 'Never commit before running the linter.'),
  same('Stop adding comments to every line.', 'Don’t write comments on each line.'),
  same('No, ask me before you delete anything.', 'Never delete anything without asking me first.'),
  same('Always use metric units in reports.', 'No, the reports need metric units.'),
  same('Don’t use emojis in the documentation.', 'Please never put emojis into the docs.'),
  same('No, dates are written as year, month, day here.', 'Always write dates as year month day.'),
  same('Never mock the database in tests.', 'Don’t use mocks for the database when testing.'),
  same('You must keep the summary under five lines.', 'Always keep summaries shorter than five lines.'),
  same('Use the staging server instead of production.', 'No, not production, use the staging server.'),
  other('No, always use pnpm and never npm.', 'No, always use npm and never pnpm.'),
  other('Use tabs instead of spaces.', 'Use spaces instead of tabs.'),
  other('Always run the linter before you commit.', 'Never run the linter before you commit.'),
  other('Never commit to the main branch directly.', 'Always commit to the main branch directly.'),
  other('Always answer in German, please.', 'Always answer in French, please.'),
  other('You must keep the summary under five lines.', 'You must keep the summary under nine lines.'),
  other('Use the staging server instead of production.', 'Use the production server instead of staging.'),
  other('Don’t use emojis in the documentation.', 'Don’t use tables in the documentation.'),
  other('Never mock the database in tests.', 'Never mock the network in tests.'),
  other('No, the tests go into the folder of the code.', 'No, the tests go into a folder of their own.'),
  other('Always use metric units in reports.', 'Always use imperial units in reports.'),
  other('Ask me before you delete anything.', 'Don’t ask me before you delete anything.'),
  other('Don’t touch the generated files.', 'Don’t touch the configuration files.'),
  other('Stop adding comments to every line.', 'Stop adding types to every line.'),
  other('Dates are always written as year, month, day.', 'Dates are always written as day, month, year.'),
  other('Never use the old API of the shop.', 'Never use the new API of the shop.'),
  other('Always sort the imports by name.', 'Always sort the exports by name.'),
  other('Don’t round the prices up.', 'Don’t round the prices down.'),
  other('Use version 2 of the schema instead.', 'Use version 3 of the schema instead.'),
  other('Never restart the worker at night.', 'Never restart the worker by day.'),
];

/** Written after the bound was chosen on those, and not looked at before. */
export const laterPairs: readonly CorrectionPair[] = [
  same('Never log the request body.', 'Don’t write request bodies to the log.'),
  same('Always keep functions shorter than thirty lines.', 'Functions must stay under thirty lines.'),
  same('No, prices include taxes here.', 'Prices always have the taxes in them.'),
  same('Stop apologising in every answer.', 'Don’t say sorry each time you answer.'),
  same(
    'Use the helper in utils instead of writing a new one.',
    'Don’t write a new helper, use the one in utils.',
  ),
  same('Always quote the paragraph that you cite.', 'You must quote the paragraph you are citing.'),
  same('Never push with force.', 'Don’t force push.'),
  same('No, only the first column is the name.', 'The name is in the first column alone, not the others.'),
  same('Please always use the formal you in letters.', 'Letters are written with the formal you, always.'),
  same('Don’t upgrade packages unless I ask.', 'Never update dependencies without being asked.'),
  other('Never log the request body.', 'Never log the response body.'),
  other('Always keep functions shorter than thirty lines.', 'Always keep files shorter than thirty lines.'),
  other('No, prices include taxes here.', 'No, prices don’t include taxes here.'),
  other(
    'Use the helper in utils instead of writing a new one.',
    'Write a new helper instead of the one in utils.',
  ),
  other('Always quote the paragraph that you cite.', 'Never quote the paragraph that you cite.'),
  other('No, only the first column is the name.', 'No, only the last column is the name.'),
  other('Please always use the formal you in letters.', 'Please always use the informal you in letters.'),
  other('Don’t upgrade packages unless I ask.', 'Always upgrade packages unless I object.'),
  other('Call the customer before the parcel is sent.', 'Call the customer after the parcel is sent.'),
  other(
    'Copy the data from the old table to the new one.',
    'Copy the data from the new table to the old one.',
  ),
  other('Never let users see drafts of editors.', 'Never let editors see drafts of users.'),
  other('Round to two digits, not three.', 'Round to three digits, not two.'),
];
