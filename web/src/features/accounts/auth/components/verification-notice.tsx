import { useMutation, useQuery } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { settingsQuery } from '@/api/settings';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { useToast } from '@/components/ui/use-toast';
import { failureMessage } from '@/hooks/use-failure-toast';
import { authMutations } from '@/features/accounts/auth/mutations';

type VerificationNoticeProps = { user: Pick<Schemas['User'], 'email' | 'emailVerified'> };

/** Asks for the proof of the address while it is missing. */
export function VerificationNotice({ user }: VerificationNoticeProps) {
  const toast = useToast();
  const settings = useQuery(settingsQuery());
  const sends = settings.data?.mail !== false;
  const resend = useMutation({
    mutationFn: authMutations.resendVerification,
    onSuccess: () =>
      toast(
        sends
          ? { title: 'Mail sent', description: `Follow the link in the mail to ${user.email}.` }
          : { title: 'Mail written', description: 'It is in the mail folder of this server.' },
      ),
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
      {sends
        ? `Follow the link in the mail to ${user.email}. Until then you get no reminder mails, and this page shows no invitations to a company.`
        : `This server keeps its mails in a folder and sends none. The link is in the mail to ${user.email}: ask whoever runs this server for it.`}
    </Notice>
  );
}
