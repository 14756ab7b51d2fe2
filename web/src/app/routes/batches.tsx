import { Link } from 'react-router';
import { BackToShop } from '@/app/routes/shop/back-to-shop';
import { Logbook } from '@/components/pictures';
import { SignInRequired } from '@/components/sign-in-required';
import { paths } from '@/config/paths';
import { SignedIn } from '@/features/accounts/auth/components/signed-in';
import { BatchList } from '@/features/batches/components/batch-list';

const LINK_CLASS = 'inline-flex small-button items-center font-medium text-accent hover:underline';

/** Many photos at a time. */
export function BatchesRoute() {
  return (
    <div className="page grid grid-cols-1 gap-5">
      <title>Partsight - Batches</title>
      <BackToShop />
      <header>
        <h1 className="page-title">Batches</h1>
        <p className="mt-1 max-w-xl text-soft">
          Photos of many parts as one job. Each answer is a scan of yours.
        </p>
        <p className="mt-2 flex flex-wrap gap-x-4 text-sm">
          <Link to={paths.pastScans} className={LINK_CLASS}>
            Past Scans
          </Link>
          <Link to={paths.shopGrades} className={LINK_CLASS}>
            Grades
          </Link>
        </p>
      </header>
      <SignedIn
        label="Loading batches"
        visitor={
          <SignInRequired picture={<Logbook />}>
            Sign in to scan many photos at once.
          </SignInRequired>
        }
      >
        {() => <BatchList />}
      </SignedIn>
    </div>
  );
}
