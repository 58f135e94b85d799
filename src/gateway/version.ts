import { readFileSync } from 'node:fs';

const packageJson: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

/** Of this package: package.json is the one place that says it. */
export const { version } = packageJson;
