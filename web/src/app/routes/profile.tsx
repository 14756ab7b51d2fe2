import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { HelpLine } from '@/components/help-line';
import { LoadFailure } from '@/components/load-failure';
import { Button } from '@/components/ui/button';
import { Spinner } from '@/components/ui/spinner';
import { paths, serverPaths } from '@/config/paths';
import { AccountCard } from '@/features/auth/components/account-card';
import { SignInPanel } from '@/features/auth/components/sign-in-panel';
import { authQueries } from '@/features/auth/queries';
import { ScansRemaining } from '@/features/subscription/components/scans-remaining';
import { leaveFor } from '@/hooks/use-sign-in-redirect';

export function ProfileRoute() {
  const user = useQuery(authQueries.user());
  const navigate = useNavigate();
  if (user.isPending) return <Spinner label="Loading..." />;
  return (
    <div className="page grid gap-6">
      <title>Partsight - Account</title>
      {user.isLoadingError && (
        <LoadFailure what="Your account" error={user.error} onRetry={() => void user.refetch()} />
      )}
      {user.data === null && <SignInPanel onSignedIn={() => void navigate(paths.home)} />}
      {user.data != null && (
        <>
          <AccountCard
            user={user.data}
            scansRemaining={<ScansRemaining />}
            actions={
              <>
                <Button asChild>
                  <Link to={paths.pricing}>View Plans</Link>
                </Button>
                <SignOutButton />
              </>
            }
          />
          <HelpLine />
        </>
      )}
    </div>
  );
}

function SignOutButton() {
  const [leaving, setLeaving] = useState(false);
  return (
    <Button
      disabled={leaving}
      onClick={() => {
        setLeaving(true);
        leaveFor(serverPaths.signOut);
      }}
    >
      {leaving ? 'Signing out...' : 'Sign Out'}
    </Button>
  );
}
