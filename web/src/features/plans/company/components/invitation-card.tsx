import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { Button } from '@/components/ui/button';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { Notice } from '@/components/ui/notice';
import { useToast } from '@/components/ui/use-toast';
import { paths } from '@/config/paths';
import { companyMutations } from '@/features/plans/company/mutations';
import { companyQueries } from '@/features/plans/company/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useFocusHeir } from '@/hooks/use-focus-heir';
import { formatDate } from '@/lib/format';

type InvitationCardProps = {
  invitation: Schemas['Invitation'];
  /** By what it is answered: the secret of the mailed link, or its id. */
  name: Schemas['InvitationName'];
  signedIn: boolean;
  onDone: () => void;
  /** Leaves it open. */
  onLater?: () => void;
};

/** Who asks into which company, what a yes means, and the answers. */
export function InvitationCard({
  invitation,
  name,
  signedIn,
  onDone,
  onLater,
}: InvitationCardProps) {
  const { companyName, invitedBy, inviterEmail, role, expiresAt } = invitation;
  const toast = useToast();
  const refuse = useRefusal();
  const card = useRef<HTMLElement>(null);
  useFocusHeir(card, (invitation) => invitation.closest('main'));
  // Set at once, before the buttons are drawn anew, and still while the answered invitation is on the screen: another
  // answer to it would be refused.
  const isAnswered = useRef(false);
  const once = (answer: (name: Schemas['InvitationName']) => unknown) => {
    if (isAnswered.current) return;
    isAnswered.current = true;
    return answer(name);
  };
  const onError = (error: Error, title: string) => {
    isAnswered.current = false;
    refuse(error, title);
  };
  const accept = useMutation({
    mutationFn: companyMutations.acceptInvitation,
    onSuccess: ({ name }) => {
      toast({ title: 'Welcome', description: `You are a member of ${name} now.` });
      onDone();
    },
    onError: (error) => onError(error, 'Failed to accept the invitation'),
  });
  const decline = useMutation({
    mutationFn: companyMutations.declineInvitation,
    onSuccess: () => {
      toast({
        title: 'Invitation declined',
        description: `${companyName} cannot ask you again for 30 days.`,
      });
      onDone();
    },
    onError: (error) => onError(error, 'Failed to decline the invitation'),
  });
  const isPending = accept.isPending || decline.isPending;
  return (
    <section
      ref={card}
      tabIndex={-1}
      aria-label={`Invitation to ${companyName}`}
      className="mx-auto w-full max-w-2xl"
    >
      <Notice
        tone="info"
        title={`You are invited to join ${companyName}`}
        action={
          <div className="flex flex-wrap gap-2">
            {signedIn && (
              <Button
                size="small"
                look="primary"
                disabled={isPending}
                onClick={() => {
                  // The button is disabled now, and the card may be gone before the answer is known.
                  card.current?.focus({ preventScroll: true });
                  once(accept.mutate);
                }}
              >
                {accept.isPending ? 'Joining...' : 'Join'}
              </Button>
            )}
            <ConfirmDialog
              trigger={
                <Button size="small" disabled={isPending}>
                  {decline.isPending ? 'Declining...' : 'Decline'}
                </Button>
              }
              title="Decline the invitation?"
              description={`Nothing changes for you, and ${companyName} cannot ask you again for 30 days.`}
              confirmLabel="Decline"
              onConfirm={() => once(decline.mutateAsync)}
              focusOnConfirm={card}
            />
            {onLater !== undefined && (
              <Button size="small" look="ghost" onClick={onLater}>
                Not now
              </Button>
            )}
          </div>
        }
      >
        <p className="wrap-anywhere">
          {invitedBy === inviterEmail ? inviterEmail : `${invitedBy} (${inviterEmail})`} asks you in
          as a {role}. Please answer by {formatDate(expiresAt)}.
        </p>
        <Meaning invitation={invitation} />
        {!signedIn && <p className="mt-2">Sign in or sign up first; then you can join.</p>}
      </Notice>
    </section>
  );
}

/** Says why an answer was not taken, and asks which invitations are open: this one may be withdrawn by now. */
function useRefusal() {
  const queryClient = useQueryClient();
  const fail = useFailureToast();
  return (error: Error, title: string) => {
    fail(error, title);
    void queryClient.invalidateQueries({ queryKey: companyQueries.all() });
  };
}

/** What becomes of somebody who says yes. */
function Meaning({ invitation: { photosGoTo } }: Pick<InvitationCardProps, 'invitation'>) {
  return (
    <ul className="mt-2 grid list-disc gap-1 pl-5">
      <li>You use what its plan includes, and its parts, price lists and taught photos.</li>
      <li>
        Your team sees your name and e-mail address, and your picture if there is one. Your garage
        and scans stay your own.
      </li>
      <li className="wrap-anywhere">
        {photosGoTo === null ? (
          'No vision-LLM elsewhere gets photos. Should the company allow one, you can refuse it for yours.'
        ) : (
          <>
            It lets photos that the model is not sure of be sent to {photosGoTo}. You can refuse
            that for yours at any time, under{' '}
            <Link to={paths.shopAccuracy} className="underline underline-offset-4">
              Accuracy
            </Link>
            .
          </>
        )}
      </li>
      <li>You can leave at any time, and come back only if you want to.</li>
    </ul>
  );
}
