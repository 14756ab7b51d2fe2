import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { SignOutButton } from '@/app/routes/profile/sign-out-button';
import { HelpLine } from '@/components/help-line';
import { Button } from '@/components/ui/button';
import { LoadingBlock } from '@/components/ui/skeleton';
import { ZeroEgressNotice } from '@/components/zero-egress-notice';
import { paths } from '@/config/paths';
import { AccountCard } from '@/features/accounts/auth/components/account-card';
import { DataCard } from '@/features/accounts/auth/components/data-card';
import { NamesCard } from '@/features/accounts/auth/components/names-card';
import { PasswordCard } from '@/features/accounts/auth/components/password-card';
import { SessionsCard } from '@/features/accounts/auth/components/sessions-card';
import { VerificationNotice } from '@/features/accounts/auth/components/verification-notice';
import { ResetScansButton } from '@/features/plans/subscription/components/reset-scans-button';
import { removeAllWaiting } from '@/features/scanning/offline-queue/store';
import { OwnInvitations } from '@/features/plans/company/components/own-invitations';
import { companyQueries } from '@/features/plans/company/queries';
import { DialCard } from '@/features/teaching/dial/components/dial-card';
import { JudgeCard } from '@/features/judging/components/judge-card';
import { LearningCard } from '@/features/teaching/learning/components/learning-card';
import { ScansRemaining } from '@/features/plans/subscription/components/scans-remaining';

// Most accounts are neither on Business nor in a company whose plan has ended, and never need these.
const BusinessSections = lazy(async () => ({
  default: (await import('@/app/routes/profile/business-sections')).BusinessSections,
}));

type AccountScreenProps = {
  user: Schemas['User'];
  /** Whether a mailed invitation is shown above, which is one of their own. */
  isAnswering?: boolean;
};

export function AccountScreen({ user, isAnswering = false }: AccountScreenProps) {
  const company = useQuery(companyQueries.own());
  return (
    <div className="mx-auto grid w-full max-w-2xl grid-cols-1 gap-5">
      <VerificationNotice user={user} />
      {!isAnswering && <OwnInvitations />}
      <AccountCard
        user={user}
        scansRemaining={<ScansRemaining />}
        actions={<Actions user={user} />}
      />
      {(user.planType === 'business' || company.data != null) && (
        <Suspense fallback={<LoadingBlock label="Loading your company" rowClassName="h-32" />}>
          <BusinessSections user={user} />
        </Suspense>
      )}
      <DialCard inCompany={company.data != null} />
      <JudgeCard />
      <LearningCard inCompany={company.data != null} />
      <NamesCard user={user} />
      <PasswordCard user={user} />
      <SessionsCard />
      <DataCard
        user={user}
        onDeleted={() => {
          // They could never be sent, nor seen by anybody.
          removeAllWaiting(user.id).catch(() => undefined);
        }}
      />
      <div className="flex justify-center text-sm text-muted empty:hidden">
        <ZeroEgressNotice />
      </div>
      <HelpLine />
    </div>
  );
}

const LINKS = [
  [paths.manageSubscription, 'Manage Subscription'],
  [paths.pricing, 'View Plans'],
  [paths.catalog, 'Taught Parts'],
  [paths.shopParts, 'Shop Parts'],
  [paths.priceLists, 'Price Lists'],
  [paths.batches, 'Batches'],
  [paths.contact, 'Contact Support'],
  [paths.privacy, 'Privacy Policy'],
  [paths.terms, 'Terms of Service'],
] as const;

function Actions({ user }: Pick<AccountScreenProps, 'user'>) {
  return (
    <>
      {LINKS.map(([to, label]) => (
        <Button key={to} asChild className="px-2 text-center">
          <Link to={to}>{label}</Link>
        </Button>
      ))}
      <ResetScansButton planType={user.planType} />
      <SignOutButton userId={user.id} />
    </>
  );
}
