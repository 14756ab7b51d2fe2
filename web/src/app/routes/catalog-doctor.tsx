import { useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { Link } from 'react-router';
import { EmptyShelf } from '@/components/empty-shelf';
import { LoadFailure } from '@/components/load-failure';
import { SignInRequired } from '@/components/sign-in-required';
import { LoadingBlock } from '@/components/ui/skeleton';
import { paths } from '@/config/paths';
import { authQueries } from '@/features/accounts/auth/queries';
import { CatalogStatus } from '@/features/teaching/catalog-doctor/components/catalog-status';
import { Diagnosis } from '@/features/teaching/catalog-doctor/components/diagnosis';

/** What is doubtful among the photos that teach the scanner. */
export function CatalogDoctorRoute() {
  const user = useQuery(authQueries.user());
  return (
    <div className="page grid grid-cols-1 gap-5">
      <title>Partsight - Check Photos</title>
      <Link
        to={paths.catalog}
        className="flex w-fit min-h-9 items-center gap-1.5 rounded-md text-sm font-medium text-soft hover:text-ink"
      >
        <ArrowLeft className="size-4" aria-hidden />
        Taught Parts
      </Link>
      <header>
        <h1 className="page-title">Check Photos</h1>
        <p className="mt-1 max-w-xl text-soft">
          Each photo is compared with all others. What looks wrong stands here, the worst first.
        </p>
      </header>
      {user.isPending && <LoadingBlock label="Loading the check" />}
      {user.isLoadingError && (
        <LoadFailure what="Your account" error={user.error} onRetry={() => void user.refetch()} />
      )}
      {user.data === null && (
        <SignInRequired picture={<EmptyShelf />}>Sign in to check photos.</SignInRequired>
      )}
      {user.data != null && (
        <>
          <CatalogStatus />
          <Diagnosis />
        </>
      )}
    </div>
  );
}
