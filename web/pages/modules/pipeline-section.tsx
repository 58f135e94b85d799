import { useState } from 'react';
import type { GatewayPipeline } from '../../api/queries.ts';
import { Button, CopyButton } from '../../parts/controls.tsx';
import { PipelineEditor } from '../../parts/pipeline/pipeline-editor.tsx';
import { usePipelineFaults } from '../../parts/pipeline/use-faults.ts';
import { Allowed } from '../../parts/rights.tsx';
import { Failure, Section } from '../../parts/states.tsx';
import { DryRun } from './dry-run.tsx';
import { useStorePipeline } from './store-pipeline.ts';

/** Edits a list: in local mode to save it, else to use it elsewhere. */
export function PipelineSection({ gateway }: { readonly gateway: GatewayPipeline }) {
  const [draft, setDraft] = useState<string>();
  const saving = useStorePipeline();
  const text = draft ?? gateway.pipeline;
  const list = text === '' ? 'none' : text;
  const isWrong = usePipelineFaults(text)?.length !== 0;
  const { can_be_stored: canStore } = gateway;
  const save = (pipeline: string | undefined) =>
    saving.mutate(pipeline, { onSuccess: () => setDraft(undefined) });
  return (
    <>
      <Section
        title="Pipeline editor"
        aside={
          canStore
            ? 'A saved pipeline holds from the next call on'
            : 'Nothing changes until you copy it into a key, a header or WEIR_PIPELINE'
        }
      >
        <div className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-4">
          <PipelineEditor text={text} onChange={setDraft} />
          {saving.error !== null && <Failure error={saving.error} />}
          <div className="flex flex-wrap gap-2">
            {canStore && (
              <Button
                look="primary"
                disabled={isWrong || list === gateway.pipeline}
                busy={saving.isPending}
                onClick={() => save(list)}
              >
                Save pipeline
              </Button>
            )}
            {draft !== undefined && draft !== gateway.pipeline && (
              <Button onClick={() => setDraft(undefined)}>Discard changes</Button>
            )}
            {canStore && gateway.source === 'stored' && (
              <Button disabled={saving.isPending} onClick={() => save(undefined)}>
                Use the default
              </Button>
            )}
            <CopyButton wide disabled={isWrong} text={`x-weir-pipeline: ${list}`} label="Copy as header" />
            <CopyButton wide disabled={isWrong} text={`WEIR_PIPELINE='${list}'`} label="Copy as setting" />
          </div>
        </div>
      </Section>
      <Allowed right="calls:write">
        <DryRun pipeline={list} isWrong={isWrong} />
      </Allowed>
    </>
  );
}
