import { Clock, Play } from 'lucide-react';
import type { Schemas } from '@/api/client';
import { DifficultyBadge } from '@/components/difficulty-badge';
import { EmptyState } from '@/components/empty-state';
import { EmptyScreen } from '@/components/result-pictures';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { partQuery } from '@/features/scanning/result/part-query';
import type { ScanView } from '@/features/scanning/result/scan-view';
import { videoSearchHref } from '@/lib/links';

type VideosTabProps = { view: ScanView };

export function VideosTab({ view }: VideosTabProps) {
  const videos = view.identification.installationVideos;
  if (videos.length === 0) {
    return (
      <EmptyState
        picture={<EmptyScreen />}
        title="No installation videos available for this part"
        action={
          <Button asChild size="small">
            <a
              href={videoSearchHref(`${partQuery(view)} replacement`)}
              target="_blank"
              rel="noopener noreferrer"
            >
              Search for videos
            </a>
          </Button>
        }
      />
    );
  }
  return (
    <ul className="grid gap-3">
      {videos.map((video) => (
        <li key={video.searchQuery}>
          <VideoCard video={video} />
        </li>
      ))}
    </ul>
  );
}

type VideoCardProps = { video: Schemas['InstallationVideo'] };

function VideoCard({ video }: VideoCardProps) {
  return (
    <article className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-md border bg-canvas/40 p-3.5">
      <div className="grid min-w-0 flex-1 basis-56 gap-1.5">
        <h4 className="font-semibold text-balance">{video.title}</h4>
        <p className="text-sm text-soft">{video.description}</p>
        <div className="flex flex-wrap gap-1.5">
          <DifficultyBadge level={video.difficultyLevel} />
          <Badge>
            <Clock className="size-3" aria-hidden />
            {video.estimatedDuration}
          </Badge>
        </div>
      </div>
      <Button asChild size="small">
        <a
          href={videoSearchHref(video.searchQuery)}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={`Watch: search videos for ${video.searchQuery}`}
        >
          <Play className="size-4" aria-hidden />
          Watch
        </a>
      </Button>
    </article>
  );
}
