import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { SwitchField } from '@/components/ui/switch-field';
import { useToast } from '@/components/ui/use-toast';
import { NotAllowedError, type BrowserPush } from '@/features/garage/push/browser';
import { pushMutations } from '@/features/garage/push/mutations';
import { pushQueries } from '@/features/garage/push/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';

type State = 'unsupported' | 'blocked' | 'off' | 'on';

const HINTS: Record<State, string> = {
  unsupported:
    'This browser shows none for this site. On an iPhone or iPad, add the app to the Home Screen and open it from there.',
  blocked:
    'This browser blocks them. Allow notifications for this site in its settings, then load this page again.',
  off: "When something is newly overdue or due soon. They pass through the push service of your browser's maker, encrypted.",
  on: 'This browser is told when something is newly overdue or due soon.',
};

/** Whether this browser is told what is due. Nothing where the server sends no notifications. */
export function NotificationsSwitch() {
  const server = useQuery(pushQueries.server());
  const publicKey = server.data?.publicKey ?? null;
  // Most servers send none: the browser is asked only where it matters.
  const browser = useQuery({ ...pushQueries.browser(), enabled: publicKey !== null });
  const queryClient = useQueryClient();
  const toast = useToast();
  const fail = useFailureToast();
  const set = useMutation({
    mutationFn: pushMutations.set,
    onSuccess: (_, { on }) =>
      toast(
        on
          ? { title: 'Notifications are on', description: 'In this browser, until you sign out.' }
          : {
              title: 'No more notifications',
              description: 'What is due is still shown in the app.',
            },
      ),
    onError: (error) =>
      error instanceof NotAllowedError
        ? toast({
            title: 'Notifications stay off',
            description: 'This browser was not allowed to show them.',
          })
        : fail(error, 'Please try again.', 'This was not saved'),
    // Also after a failure: the permission may have changed, or one half may be done.
    onSettled: () => queryClient.invalidateQueries({ queryKey: pushQueries.server().queryKey }),
  });
  if (server.data == null || publicKey === null || browser.data === undefined) return null;
  const known = server.data.subscriptions.map(({ id }) => id);
  const state = stateOf(browser.data, publicKey, known);
  return (
    <SwitchField
      label="Notifications in this browser"
      hint={HINTS[state]}
      on={set.isPending ? set.variables.on : state === 'on'}
      disabled={set.isPending || state === 'unsupported'}
      blocked={state === 'blocked'}
      onChange={(on) => set.mutate({ on, publicKey })}
    />
  );
}

function stateOf(browser: BrowserPush, publicKey: string, known: string[]): State {
  if (!browser.isSupported) return 'unsupported';
  if (browser.permission === 'denied') return 'blocked';
  // Each side may have ended it without the other: both must know of it.
  const isOn =
    browser.permission === 'granted' &&
    browser.id !== null &&
    browser.publicKey === publicKey &&
    known.includes(browser.id);
  return isOn ? 'on' : 'off';
}
