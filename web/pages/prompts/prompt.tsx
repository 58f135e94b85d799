import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { prompt as promptNamed, promptVersion } from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { Allowed } from '../../parts/rights.tsx';
import { Loaded, Page, Rows } from '../../parts/states.tsx';
import { DeletePrompt } from './delete-prompt.tsx';
import { EditPrompt } from './edit-prompt.tsx';
import { Labels } from './labels.tsx';
import { Tester } from './tester.tsx';
import { Versions } from './versions.tsx';

interface PromptProps {
  readonly name: string;
  readonly onClose: () => void;
}

/** One prompt: its labels, a tester and its history. */
export function Prompt({ name, onClose }: PromptProps) {
  const stored = useQuery(promptNamed(name));
  const newest = useQuery(promptVersion(name, 'latest'));
  const [dialog, setDialog] = useState<'edit' | 'delete'>();
  return (
    <Page
      title={name}
      lead={
        <>
          <Link to="/prompts" search={{}} className="text-accent hover:underline">
            All prompts
          </Link>
          {' · '}
          <Link
            to="/requests"
            search={{ tag: `weir.prompt:${name}` }}
            className="text-accent hover:underline"
          >
            Calls with it
          </Link>
        </>
      }
      actions={
        <Allowed right="settings:write">
          <Button look="quiet" onClick={() => setDialog('delete')}>
            Delete
          </Button>
          <Button look="primary" disabled={newest.data === undefined} onClick={() => setDialog('edit')}>
            New version
          </Button>
        </Allowed>
      }
    >
      <Loaded of={stored} loading={<Rows count={6} />}>
        {(prompt) => (
          <>
            <Labels prompt={prompt} />
            <Tester prompt={prompt} />
            <Versions prompt={prompt} />
          </>
        )}
      </Loaded>
      {dialog === 'edit' && newest.data !== undefined && (
        <EditPrompt
          from={newest.data}
          onClose={() => setDialog(undefined)}
          onStored={() => setDialog(undefined)}
        />
      )}
      {dialog === 'delete' && (
        <DeletePrompt name={name} onClose={() => setDialog(undefined)} onDeleted={onClose} />
      )}
    </Page>
  );
}
