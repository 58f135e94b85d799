import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type BatchRun, batchRuns } from '../../api/queries.ts';
import { Empty, Loaded, Page, Rows } from '../../parts/states.tsx';
import { BatchRow } from './batch-row.tsx';
import { CancelBatch } from './cancel-batch.tsx';

/** The batches of all APIs, with their progress. */
export function Batches() {
  const list = useQuery(batchRuns);
  const [cancelling, setCancelling] = useState<BatchRun>();
  return (
    <Page
      title="Batches"
      lead="Many calls that are made later: by a provider at a lower price, or by Weir itself, call by call."
    >
      <Loaded of={list} loading={<Rows count={4} />}>
        {({ batches }) =>
          batches.length === 0 ? (
            <Empty title="No batches yet.">
              Make one with the SDK of OpenAI, Anthropic or Google; the{' '}
              <a className="text-accent hover:underline" href="/docs/guides/batches.html">
                guide
              </a>{' '}
              has examples.
            </Empty>
          ) : (
            <>
              <ul aria-label="Batches" className="flex flex-col">
                {batches.map((batch) => (
                  <BatchRow key={batch.id} batch={batch} onCancel={() => setCancelling(batch)} />
                ))}
              </ul>
              <p className="text-xs text-muted">
                The state of a provider’s batch is what the provider said when a client last asked for it
                here.
              </p>
            </>
          )
        }
      </Loaded>
      {cancelling !== undefined && (
        <CancelBatch batch={cancelling} onClose={() => setCancelling(undefined)} />
      )}
    </Page>
  );
}
