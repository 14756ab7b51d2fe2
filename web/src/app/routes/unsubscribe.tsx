import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { SettingsCard } from '@/components/settings-card';
import { TextLink } from '@/components/text-link';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { paths } from '@/config/paths';
import { reminderMailMutations } from '@/features/garage/reminder-mails/mutations';
import { useFailureToast } from '@/hooks/use-failure-toast';

/** Where a mail of what is due leads those who want no more of them. It asks, because programs follow links too. */
export function UnsubscribeRoute() {
  const fail = useFailureToast();
  // Behind `#`, which browsers tell no server.
  const [token] = useState(useLocation().hash.slice(1));
  const stop = useMutation({
    mutationFn: reminderMailMutations.unsubscribe,
    onError: (error) => fail(error, 'The mails could not be stopped. Please try again.'),
  });
  const { isSuccess } = stop;
  const ended = useRef<HTMLDivElement>(null);
  // The button that stopped them is gone, and the focus with it.
  useEffect(() => {
    if (isSuccess) ended.current?.focus();
  }, [isSuccess]);
  return (
    <div className="page grid grid-cols-1 gap-6">
      <title>Partsight - Reminders</title>
      <h1 className="page-title text-center">Reminders by mail</h1>
      {isSuccess && (
        <div ref={ended} tabIndex={-1} role="status" className="mx-auto w-full max-w-md">
          <Notice tone="good" title="No more mails">
            You can have them again on your <TextLink to={paths.profile}>account page</TextLink>.
          </Notice>
        </div>
      )}
      {!isSuccess && token === '' && (
        <Notice tone="warn" title="This link is not complete" className="mx-auto w-full max-w-md">
          Please open the link out of the mail once more, or choose on your{' '}
          <TextLink to={paths.profile}>account page</TextLink>.
        </Notice>
      )}
      {!isSuccess && token !== '' && (
        <SettingsCard
          title="Stop these mails?"
          description="You get mails of what is due on your vehicles. What is due is still shown in the app."
          className="mx-auto w-full max-w-md"
        >
          <Button
            look="primary"
            className="justify-self-start"
            disabled={stop.isPending}
            onClick={() => stop.mutate(token)}
          >
            {stop.isPending ? 'Stopping...' : 'Stop Mails'}
          </Button>
        </SettingsCard>
      )}
    </div>
  );
}
