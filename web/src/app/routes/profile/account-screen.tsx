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
import { AccountCard } from '@/features/auth/components/account-card';
import { DataCard } from '@/features/auth/components/data-card';
import { NamesCard } from '@/features/auth/components/names-card';
import { PasswordCard } from '@/features/auth/components/password-card';
import { SessionsCard } from '@/features/auth/components/sessions-card';
import { VerificationNotice } from '@/features/auth/components/verification-notice';
import { ResetScansButton } from '@/features/subscription/components/reset-scans-button';
import { removeAllWaiting } from '@/features/scan/waiting/store';
import { companyQueries } from '@/features/company/queries';
import { DialCard } from '@/features/dial/components/dial-card';
import { JudgeCard } from '@/features/judge/components/judge-card';
import { LearningCard } from '@/features/learning/components/learning-card';
import { ScansRemaining } from '@/features/subscription/components/scans-remaining';

// Most accounts are not on Business and never need these.
const BusinessSections = lazy(async () => ({
  default: (await import('@/app/routes/profile/business-sections')).BusinessSections,
}));

type AccountScreenProps = { user: Schemas['User'] };

export function AccountScreen({ user }: AccountScreenProps) {
  const company = useQuery({ ...companyQueries.own(), enabled: user.planType === 'business' });
  return (
    <div className="mx-auto grid w-full max-w-2xl gap-5">
      <VerificationNotice user={user} />
      <AccountCard
        user={user}
        scansRemaining={<ScansRemaining />}
        actions={<Actions user={user} />}
      />
      {user.planType === 'business' && (
        <Suspense fallback={<LoadingBlock label="Loading your company" rowClassName="h-32" />}>
          <BusinessSections user={user} />
        </Suspense>
      )}
      <DialCard inCompany={company.data != null} />
      <JudgeCard inCompany={company.data != null} />
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
  [paths.contact, 'Contact Support'],
  [paths.privacy, 'Privacy Policy'],
  [paths.terms, 'Terms of Service'],
] as const;

function Actions({ user }: AccountScreenProps) {
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
