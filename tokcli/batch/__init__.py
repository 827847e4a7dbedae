"""What numpy does for much text at a time. Nothing here is imported before there is that much: the
import alone takes as long as tokenizing some pages."""
