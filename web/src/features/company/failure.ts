import { sentenceOf } from '@/api/api-error';
import type { ToastMessage } from '@/components/ui/use-toast';

/** How a failed change of a company is told (specification 2, section 8). */
export function companyFailure(error: unknown, fallback: string): ToastMessage {
  return { title: 'Error', description: sentenceOf(error, fallback), tone: 'bad' };
}
