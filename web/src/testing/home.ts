import { ada, civic } from '@/testing/fixtures';
import { answer, refuse } from '@/testing/server';

/** The server answers all that Home asks for somebody with a vehicle and no scans yet. */
export function answerHome() {
  answer('get', '/api/auth/user', ada);
  answer('get', '/api/vehicles/default', civic);
  answer('get', '/api/scans/recent', []);
  answer('get', '/api/scans/limits', { limit: 2, used: 0, remaining: 2 });
  refuse('get', '/api/vehicles/ai/oil-specs/Honda/Civic/2015', { status: 500, detail: '' });
  refuse('get', '/api/subscription/status', { status: 503, detail: 'Busy.' });
}
