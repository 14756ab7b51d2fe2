import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router';
import { createQueryClient } from '@/api/query-client';
import { Providers } from '@/app/providers';
import { createRouter } from '@/app/router';
import '@/styles.css';

const root = document.getElementById('root');
if (root === null) throw new Error('BUG: index.html has no #root');

createRoot(root).render(
  <StrictMode>
    <Providers queryClient={createQueryClient()}>
      <RouterProvider router={createRouter()} />
    </Providers>
  </StrictMode>,
);
