import { useMutation } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import { Button } from '../../parts/controls.tsx';
import { Failure } from '../../parts/states.tsx';

interface AuthorizeButtonProps {
  readonly server: string;
  readonly text?: string;
  /** For those who can't see what it is beside. */
  readonly label: string;
}

/** Leads to the page where the person authorizes the gateway at a server, and back here. */
export function AuthorizeButton({ server, text = 'Authorize', label }: AuthorizeButtonProps) {
  const leading = useMutation({
    mutationFn: () =>
      told(
        api.POST('/v1/mcp/servers/{name}/authorization', {
          params: { path: { name: server } },
          body: { return_to: '/mcp-servers' },
        }),
      ),
    onSuccess: ({ url }) => location.assign(url),
  });
  return (
    <>
      <Button busy={leading.isPending} onClick={() => leading.mutate()} aria-label={label}>
        {text}
      </Button>
      {leading.error !== null && <Failure error={leading.error} />}
    </>
  );
}
