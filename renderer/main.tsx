/** Where the window begins. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { applyTheme } from './shell/theme.ts';
import './styles/fonts.css';
import './styles/tokens.css';
import './styles/base.css';

applyTheme();
const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <ErrorBoundary resetKey="">
        <App />
      </ErrorBoundary>
    </StrictMode>,
  );
