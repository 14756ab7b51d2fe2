import { useMutation } from '@tanstack/react-query';
import { ApiError } from '@/api/api-error';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { authMutations } from '@/features/accounts/auth/mutations';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useOneAtATime } from '@/hooks/use-one-at-a-time';

type VerifyEmailCardProps = {
  /** The secret of the mailed link. */
  token: string;
  /** Whether the address is confirmed now, or the link was not open any more. */
  onDone: (confirmed: boolean) => void;
};

/** Asks before it confirms: programs that look at mails follow links too. */
export function VerifyEmailCard({ token, onDone }: VerifyEmailCardProps) {
  const fail = useFailureToast();
  const start = useOneAtATime();
  const verify = useMutation({
    mutationFn: authMutations.verifyEmail,
    onSuccess: () => onDone(true),
    onError: (error) => {
      if (error instanceof ApiError && error.status === 422) onDone(false);
      else fail(error, 'The address could not be confirmed. Please try again.');
    },
  });
  return (
    <SettingsCard
      title="Is this your address?"
      description="You followed the link in a mail of ours. Confirm that the address it came to is yours, and that you signed up here."
      className="mx-auto w-full max-w-md"
    >
      <Button
        look="primary"
        className="justify-self-start"
        disabled={verify.isPending}
        onClick={() => start(() => verify.mutateAsync(token))}
      >
        {verify.isPending ? 'Confirming...' : 'Confirm Address'}
      </Button>
    </SettingsCard>
  );
}
