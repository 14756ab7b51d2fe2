import { useMutation } from '@tanstack/react-query';
import { useRef, type RefObject } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { Notice } from '@/components/ui/notice';
import { useToast } from '@/components/ui/use-toast';
import { failureMessage } from '@/hooks/use-failure-toast';
import { paths } from '@/config/paths';
import { periodEndText } from '@/features/plans/subscription/account-texts';
import { subscriptionMutations } from '@/features/plans/subscription/mutations';

type CancellationCardProps = { status: Schemas['SubscriptionStatus'] };

/** Ending a paid plan, or taking that back. */
export function CancellationCard({ status }: CancellationCardProps) {
  if (!status.cancelAtPeriodEnd && !status.canCancel) return <NothingToCancel />;
  return (
    <SettingsCard
      title="Manage Subscription"
      description="A cancelled plan runs to the end of the period that is paid for."
    >
      {status.cancelAtPeriodEnd ? (
        <Ending status={status} />
      ) : (
        <Running requested={status.cancellationRequested} />
      )}
    </SettingsCard>
  );
}

function Ending({ status }: CancellationCardProps) {
  const toast = useToast();
  const reactivate = useMutation({
    mutationFn: subscriptionMutations.reactivate,
    onSuccess: () =>
      toast({ title: 'Plan reactivated', description: 'It will be renewed as before.' }),
    onError: (error) =>
      toast(
        failureMessage(
          'The plan could not be reactivated',
          error,
          'Please try contacting support directly.',
        ),
      ),
  });
  return (
    <>
      <Notice tone="warn" title="Your plan is set to end">
        Your {status.paidPlan === null ? 'subscription' : `${status.paidPlan} plan`} will be
        cancelled on {periodEndText(status.currentPeriodEnd)}. You can reactivate it before then.
      </Notice>
      <p className="text-sm text-soft">
        To change anything else,{' '}
        <Link to={paths.contact} className="font-medium text-accent underline underline-offset-4">
          contact support
        </Link>
        .
      </p>
      <Button
        look="primary"
        className="justify-self-start"
        disabled={reactivate.isPending}
        onClick={() => reactivate.mutate()}
      >
        {reactivate.isPending ? 'Reactivating...' : 'Reactivate Plan'}
      </Button>
    </>
  );
}

/** A plan that comes from the server's settings or from a company is not paid for by this account. */
function NothingToCancel() {
  return (
    <SettingsCard
      title="Manage Subscription"
      description="This account does not pay for its plan: it comes from your company, or from whoever runs this server. There is nothing to cancel."
    >
      <Button asChild className="justify-self-start">
        <Link to={paths.contact}>Contact Support</Link>
      </Button>
    </SettingsCard>
  );
}

type RunningProps = {
  /** Whether a request is open from before. */
  requested: boolean;
};

function Running({ requested }: RunningProps) {
  const toast = useToast();
  const confirmation = useRef<HTMLDivElement>(null);
  const request = useMutation({
    mutationFn: subscriptionMutations.requestCancellation,
    onError: (error) =>
      toast(
        failureMessage(
          'Failed to send cancellation request',
          error,
          'Please try contacting support directly.',
        ),
      ),
  });
  return (
    <div ref={confirmation} tabIndex={-1}>
      {requested || request.isSuccess ? (
        <div role="status" className="grid gap-3">
          <Notice tone="good" title="Cancellation request sent">
            We process it within 24 hours. You keep your plan until the end of the billing period,
            and a confirmation e-mail follows.
          </Notice>
          <WithdrawButton
            onWithdrawn={() => {
              request.reset();
              confirmation.current?.focus();
            }}
          />
        </div>
      ) : (
        <div className="flex flex-wrap gap-2">
          <RequestButton
            pending={request.isPending}
            focusOnConfirm={confirmation}
            onConfirm={() => request.mutateAsync()}
          />
          <Button asChild>
            <Link to={paths.contact}>Contact Support</Link>
          </Button>
        </div>
      )}
    </div>
  );
}

type WithdrawButtonProps = { onWithdrawn: () => void };

/** For a change of mind before anybody has seen to the request. */
function WithdrawButton({ onWithdrawn }: WithdrawButtonProps) {
  const toast = useToast();
  const withdraw = useMutation({
    mutationFn: subscriptionMutations.withdrawCancellation,
    onSuccess: () => {
      toast({ title: 'Request taken back', description: 'Your plan goes on as before.' });
      onWithdrawn();
    },
    onError: (error) =>
      toast(
        failureMessage(
          'The request was not taken back',
          error,
          'Please try contacting support directly.',
        ),
      ),
  });
  return (
    <Button
      className="justify-self-start"
      disabled={withdraw.isPending}
      onClick={() => withdraw.mutate()}
    >
      {withdraw.isPending ? 'Taking it back...' : 'Take the Request Back'}
    </Button>
  );
}

type RequestButtonProps = {
  pending: boolean;
  focusOnConfirm: RefObject<HTMLElement | null>;
  onConfirm: () => Promise<unknown>;
};

function RequestButton({ pending, focusOnConfirm, onConfirm }: RequestButtonProps) {
  return (
    <ConfirmDialog
      trigger={
        <Button look="danger" disabled={pending}>
          {pending ? 'Sending...' : 'Request Cancellation'}
        </Button>
      }
      title="Request cancellation?"
      description="Your request goes to support and is processed within 24 hours. You keep access until the end of the billing period."
      confirmLabel="Request Cancellation"
      cancelLabel="Keep Plan"
      onConfirm={onConfirm}
      focusOnConfirm={focusOnConfirm}
    />
  );
}
