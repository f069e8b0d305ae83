export { Badge } from './Badge';
export { Button, IconButton } from './Button';
export { Confirm } from './Confirm';
export { Empty } from './Empty';
export { Hint, Hints } from './Hint';
export { Notice, type Tone } from './Notice';
export { SearchField } from './SearchField';
export { Switch } from './Switch';
