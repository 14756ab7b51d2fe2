import { useParams } from 'react-router';
import { SignedInPage } from '@/app/routes/signed-in-page';
import { BackLink } from '@/components/back-link';
import { Logbook } from '@/components/pictures';
import { batchHref } from '@/config/paths';
import { ReturnSheet } from '@/features/batches/components/return-sheet';

/** A batch as a sheet of paper. */
export function BatchSheetRoute() {
  const { id = '' } = useParams();
  return (
    <SignedInPage
      title="Return Sheet"
      back={
        <BackLink to={batchHref(id)} className="print:hidden">
          Back to the batch
        </BackLink>
      }
      label="Loading the batch"
      signIn="Sign in to see your batches."
      picture={<Logbook />}
    >
      {() => <ReturnSheet key={id} id={id} />}
    </SignedInPage>
  );
}
