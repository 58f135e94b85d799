// Installs the newest price data, lists what differs, and notes the day: npm run prices:refresh [-- --dry-run]
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isJsonObject } from '../src/lib/json.ts';
import { overlays } from '../src/providers/catalog/overlay/index.ts';
import { priceData } from '../src/providers/catalog/price-data.ts';
import { builtInProviders } from '../src/providers/index.ts';
import { priceWarnings } from './prices/age.ts';
import { type PriceTexts, priceChanges } from './prices/changes.ts';

const root = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });

const before = pricesNow();
if (!values['dry-run']) install();
const after = pricesNow();
const changes = priceChanges(before, after);
console.log(changes.length === 0 ? 'no price of the package differs' : changes.join('\n'));
for (const name of coveredBy(after))
  console.log(`covered  ${name}: the package has it now; compare, and remove it from the overlay`);
for (const warning of priceWarnings(Date.now())) console.log(`old      ${warning}`);

function install(): void {
  execFileSync('npm', ['install', '--save-exact', `${priceData.package}@latest`], {
    cwd: root,
    stdio: 'inherit',
  });
  const file = join(root, 'src', 'providers', 'catalog', 'price-data.ts');
  const today = new Date().toISOString().slice(0, 10);
  const text = readFileSync(file, 'utf8')
    .replace(`version: '${priceData.version}'`, `version: '${installedVersion()}'`)
    .replace(`checkedOn: '${priceData.checkedOn}'`, `checkedOn: '${today}'`);
  writeFileSync(file, text);
}

function installedVersion(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(join(root, 'node_modules', priceData.package, 'package.json'), 'utf8'),
  );
  if (!isJsonObject(manifest) || typeof manifest.version !== 'string')
    throw new Error('the package has no version');
  return manifest.version;
}

/** In a process of its own, because a package is loaded once. */
function pricesNow(): PriceTexts {
  const program = `
    import { findProvider } from '${priceData.package}';
    const ids = ${JSON.stringify(builtInProviders.flatMap(({ priceId }) => priceId ?? []))};
    const models = ids.flatMap((id) => (findProvider({ providerId: id })?.models ?? []).map((model) =>
      [id + '/' + model.id, JSON.stringify(model.prices)]));
    console.log(JSON.stringify(models));
  `;
  const json = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  return new Map(JSON.parse(json));
}

/** Models with a price of the overlay because the package lacked them, which it has now. */
function coveredBy(prices: PriceTexts): readonly string[] {
  return builtInProviders.flatMap(({ name, priceId }) =>
    (overlays.get(name)?.models ?? [])
      .filter(({ id, prices: own }) => own !== undefined && !before.has(`${priceId}/${id}`))
      .flatMap(({ id }) => (prices.has(`${priceId}/${id}`) ? [`${priceId}/${id}`] : [])),
  );
}
