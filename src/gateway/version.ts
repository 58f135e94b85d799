import { readFileSync } from 'node:fs';

const packageJson: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);

export const { version } = packageJson;
