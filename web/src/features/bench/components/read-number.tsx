import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { readingQuery, surelyRead } from '@/features/scanning/result/reading-queries';

type ReadNumberProps = { scanId: string; onRead: (partNumber: string) => void };

/** Shows nothing: it tells the number that the server reads off a part after the answer, where the shop knows it. */
export function ReadNumber({ scanId, onRead }: ReadNumberProps) {
  const { data } = useQuery(readingQuery(scanId));
  const number = surelyRead(data);
  const heard = useRef(onRead);
  useEffect(() => {
    heard.current = onRead;
  }, [onRead]);
  useEffect(() => {
    if (number !== null) heard.current(number);
  }, [number]);
  return null;
}
