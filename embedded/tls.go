package embedded

import "fmt"

// tlsName is the name that the node's certificate is to be verified by.
func (s *Server) tlsName() string {
	if s.cfg.TLSName != "" {
		return s.cfg.TLSName
	}
	return s.host()
}

// tlsInfo answers info commands on addresses at a node that speaks TLS and nothing
// else.
func (c *conn) tlsInfo(name string) (string, bool) {
	node := c.at()
	generation, peers := "0", []*Server(nil)
	if l := node.clusterLayout(); l != nil {
		generation, peers = fmt.Sprint(l.generation), node.peers(l)
	}
	switch name {
	case "service", "service-clear-std", "service-tls-alt", "services":
		return "", true
	case "service-tls-std":
		return node.Addr(), true
	case "peers-clear-std", "peers-clear-alt", "peers-tls-alt":
		return generation + ",3000,[]", true
	case "peers-tls-std":
		list := ""
		for i, peer := range peers {
			if i > 0 {
				list += ","
			}
			list += fmt.Sprintf("[%s,%s,[%s]]", peer.nodeID(), peer.tlsName(), peer.Addr())
		}
		return fmt.Sprintf("%s,%d,[%s]", generation, node.Port(), list), true
	}
	return "", false
}
