import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router';
import { createQueryClient } from '@/api/query-client';
import { settingsQuery } from '@/api/settings';
import { Providers } from '@/app/providers';
import { prefetchAtFirstSign } from '@/app/prefetch';
import { createRouter } from '@/app/router';
import '@/styles.css';

const root = document.getElementById('root');
if (root === null) throw new Error('BUG: index.html has no #root');

const queryClient = createQueryClient();
// Asked for while the first screen's code still loads; a failure shows where they are needed.
queryClient.query(settingsQuery()).catch(() => undefined);

createRoot(root).render(
  <StrictMode>
    <Providers queryClient={queryClient}>
      <RouterProvider router={createRouter()} />
    </Providers>
  </StrictMode>,
);

prefetchAtFirstSign();

// The development server has no worker: what it serves changes under the reader's hands.
if (import.meta.env.PROD) {
  window.addEventListener('load', () => {
    void import('@/service-worker/register').then(({ registerServiceWorker }) =>
      registerServiceWorker(),
    );
  });
}
