import { useQuery } from '@tanstack/react-query';
import { conversation, models, request } from '../../api/queries.ts';
import { formatNamed, formats } from '../../parts/formats.ts';
import { type Draft, draftOfRecorded, newDraft } from './draft.ts';
import { unpackDraft } from './share.ts';

interface FirstDraftSearch {
  readonly model?: string;
  readonly from?: string;
  readonly draft?: string;
}

/** What the page begins with: the draft in the address, a recorded call, or a new one. */
export function useFirstDraft({ model, from, draft }: FirstDraftSearch) {
  const known = useQuery(models);
  const recorded = useQuery({ ...conversation(from ?? ''), enabled: from !== undefined });
  const logged = useQuery({ ...request(from ?? ''), enabled: from !== undefined });
  return useQuery({
    queryKey: ['first-draft', model, from, draft],
    enabled: !known.isPending && (from === undefined || (!recorded.isPending && !logged.isPending)),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    queryFn: async (): Promise<{ readonly draft: Draft; readonly note?: string }> => {
      // The one that costs nothing, where it is there.
      const usual = known.data?.includes('demo-1') === false ? (known.data[0] ?? '') : 'demo-1';
      const empty = newDraft(model ?? usual);
      if (draft !== undefined) {
        const unpacked = await unpackDraft(draft);
        return unpacked === undefined
          ? { draft: empty, note: 'The link is damaged: it holds no draft.' }
          : { draft: unpacked };
      }
      if (from === undefined) return { draft: empty };
      if (recorded.data?.request == null)
        return { draft: empty, note: 'The content of this call is not recorded, or can’t be shown here.' };
      const { redaction, request: asked } = recorded.data;
      const format = (formatNamed(logged.data?.wire_format) ?? formats[0]).name;
      return {
        draft: draftOfRecorded(asked, { model: logged.data?.model ?? String(asked.model), format }),
        ...(redaction === 'masked' && {
          note: 'Masked values of the recorded call are placeholders here, too.',
        }),
      };
    },
  });
}
