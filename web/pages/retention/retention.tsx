import { useQuery } from '@tanstack/react-query';
import { legalHolds, retention } from '../../api/queries.ts';
import { useRights } from '../../parts/rights.tsx';
import { Loaded, Page, Rows } from '../../parts/states.tsx';
import { Together } from '../../parts/together.tsx';
import { Evidence } from './evidence.tsx';
import { LegalHolds } from './legal-holds.tsx';
import { RetainedData } from './retained-data.tsx';

/** How long the data of the account is kept, what stops its deletion, and the evidence of both. */
export function Retention() {
  const may = useRights();
  const holds = useQuery(legalHolds);
  const kept = useQuery({ ...retention, enabled: may('data:read') });
  return (
    <Page
      title="Retention"
      lead="How long the gateway keeps the data of the account, and legal holds that stop every deletion."
    >
      <Together of={may('data:read') ? [holds, kept] : [holds]} loading={<Rows count={8} />}>
        <Loaded of={holds} loading={<Rows count={2} />}>
          {({ holds: all }) => <LegalHolds holds={all} mayWrite={may('ownership:write')} />}
        </Loaded>
        {may('data:read') && (
          <Loaded of={kept} loading={<Rows count={6} />}>
            {({ kinds }) => <RetainedData kinds={kinds} mayWrite={may('data:write')} />}
          </Loaded>
        )}
        {may('audit:read') && <Evidence />}
      </Together>
    </Page>
  );
}
