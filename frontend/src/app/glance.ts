import { useEffect } from 'react';
import { useServices } from './services';

// Focus and visibility come together when a window is raised.
const apart = 1000;

/**
 * Lets the program look whether the file changed each time a person comes back
 * to the page: some file systems tell nobody about changes.
 */
export function useGlance(): void {
  const { transport } = useServices();
  useEffect(() => {
    let last = -apart;
    const look = () => {
      const now = performance.now();
      if (document.visibilityState === 'hidden' || now - last < apart) return;
      last = now;
      // What changed comes as a signal; without one there is nothing to say.
      void transport.call('Glance').catch(() => {});
    };
    window.addEventListener('focus', look);
    document.addEventListener('visibilitychange', look);
    return () => {
      window.removeEventListener('focus', look);
      document.removeEventListener('visibilitychange', look);
    };
  }, [transport]);
}
