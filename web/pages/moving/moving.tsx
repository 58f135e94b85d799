import { Page, Section } from '../../parts/states.tsx';
import { ExportAccount } from './export-account.tsx';
import { ImportAccount } from './import-account.tsx';
import { staying } from './sections.ts';

export function Moving() {
  return (
    <Page title="Move" lead="One file takes the account to another instance of Weir, or brings it here.">
      <div className="grid items-start gap-8 lg:grid-cols-2">
        <ExportAccount />
        <ImportAccount />
      </div>
      <Section title="What does not move" className="max-w-prose">
        <dl className="flex flex-col gap-2 text-sm">
          {staying.map(([what, why]) => (
            <div key={what}>
              <dt className="font-medium">{what}</dt>
              <dd className="text-muted">{why}</dd>
            </div>
          ))}
        </dl>
      </Section>
    </Page>
  );
}
