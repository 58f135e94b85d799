import { useState } from 'react';
import { Button, CopyButton } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import type { Draft } from './draft.ts';
import { packDraft } from './share.ts';

type Link = { readonly address: string } | 'too-long';

/** A link that holds the draft: conversation, tools, settings and models. */
export function ShareButton({ draft }: { readonly draft: Draft }) {
  const [link, setLink] = useState<Link>();
  const make = async () => {
    const packed = await packDraft(draft);
    setLink(packed === undefined ? 'too-long' : { address: `${location.origin}/playground?draft=${packed}` });
  };
  return (
    <>
      <Button onClick={() => void make()}>Share</Button>
      <Dialog
        open={link !== undefined}
        onClose={() => setLink(undefined)}
        title="Share or save as a link"
        lead="The address itself holds the conversation, tools, settings and models, and nothing is stored. It has no key and no answer. Whoever gets it can read it; running it needs access to this gateway."
      >
        {link === 'too-long' ? (
          <p className="text-sm">
            This draft is too long for a link: 8,000 characters at most, compressed. Remove images or long
            texts.
          </p>
        ) : (
          link !== undefined && <CopyButton wide text={link.address} label="Copy link" />
        )}
      </Dialog>
    </>
  );
}
