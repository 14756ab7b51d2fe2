import { useRouteError } from 'react-router';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';

/** Shown where a screen broke, or where its code could not be fetched after an update. */
export function RouteFailure() {
  const error = useRouteError();
  console.error(error);
  return (
    <div className="page max-w-xl">
      <Notice
        tone="bad"
        title="This screen could not be shown"
        action={<Button onClick={() => window.location.reload()}>Load again</Button>}
      >
        Check that the server is running, then load the page again. Nothing that you saved is lost.
      </Notice>
    </div>
  );
}
