import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useServices } from '@/app/services';
import { toCallError, type CallError, type HookChange, type HookPick } from '@/bridge';

/** What tells a hook, or a consent that is left of one, from all others. */
export function pickOf(one: HookPick): HookPick {
  return { event: one.event, matcher: one.matcher, command: one.command };
}

/** Looks at everything again that says how a hook stands. */
export function useHooksAgain(): () => Promise<unknown> {
  const queries = useQueryClient();
  return () => Promise.all(['hooks', 'hook', 'why', 'audit'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
}

/** Takes the trust in a hook back. */
export function useForget() {
  const { transport } = useServices();
  const again = useHooksAgain();
  return useMutation<HookChange, CallError, HookPick>({
    networkMode: 'always',
    mutationFn: async (pick) => {
      try {
        return await transport.call('ForgetHook', pick);
      } catch (err) {
        throw toCallError(err);
      }
    },
    onSettled: again,
  });
}
