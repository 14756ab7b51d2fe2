import { useMutation } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { useToast } from '@/components/ui/use-toast';
import { failureMessage } from '@/hooks/use-failure-toast';
import { authMutations } from '@/features/accounts/auth/mutations';

type VerificationNoticeProps = { user: Pick<Schemas['User'], 'email' | 'emailVerified'> };

/** Asks for the proof of the address while it is missing. */
export function VerificationNotice({ user }: VerificationNoticeProps) {
  const toast = useToast();
  const resend = useMutation({
    mutationFn: authMutations.resendVerification,
    onSuccess: () =>
      toast({ title: 'Mail sent', description: `Follow the link in the mail to ${user.email}.` }),
    onError: (error) => toast(failureMessage('The mail could not be sent', error)),
  });
  if (user.emailVerified) return null;
  return (
    <Notice
      tone="warn"
      title="Confirm your e-mail address"
      action={
        <Button
          size="small"
          disabled={resend.isPending || resend.isSuccess}
          onClick={() => resend.mutate()}
        >
          {resend.isSuccess ? 'Link sent' : 'Send the link again'}
        </Button>
      }
    >
      Follow the link in the mail to {user.email}: only a confirmed address gets a forgotten
      password back. If no mail comes, this server may not be set up to send any; ask whoever runs
      it.
    </Notice>
  );
}
